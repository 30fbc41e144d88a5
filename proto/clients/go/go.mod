module gjkd

go 1.19
